// How a person works the page: by mouse, by touch, or by the keyboard alone. The same test is gone through by each.
import type { Locator, Page } from 'playwright-core';

export interface Hand {
  /** Works a button or a link. */
  press(target: Locator): Promise<void>;
  /** Types into a field, in place of what is there. */
  write(target: Locator, text: string): Promise<void>;
  /** Sets a field for date and time, as `2026-03-01T22:00`. */
  setTime(target: Locator, time: string): Promise<void>;
  /** Chooses one of a group of radio buttons. */
  pick(target: Locator): Promise<void>;
  /** Makes sure that a checkbox is checked. */
  tick(target: Locator): Promise<void>;
  /** Chooses an entry of a list by its name. */
  select(target: Locator, name: string): Promise<void>;
}

export function createMouse(): Hand {
  return {
    press: (target) => target.click(),
    write: (target, text) => target.fill(text),
    setTime: (target, time) => target.fill(time),
    pick: (target) => target.check(),
    tick: (target) => target.check(),
    select: async (target, name) => void (await target.selectOption({ label: name })),
  };
}

/** Works the page with a finger. The browser needs `hasTouch`. */
export function createFinger(): Hand {
  return { ...createMouse(), press: (target) => target.tap() };
}

/** More than any page has: what is not reached by then cannot be reached. */
const mostSteps = 250;

/** Tab, arrows, Home, Enter and letters; nothing is focused but by these. */
export function createKeyboard(page: Page): Hand {
  const { keyboard } = page;
  const holds = (target: Locator) =>
    // Visible, there, and the one that has the focus.
    target.and(page.locator(':focus')).count();
  const reach = async (target: Locator) => {
    await target.waitFor();
    for (let step = 0; step < mostSteps; step += 1) {
      if ((await holds(target)) > 0) {
        return;
      }
      await keyboard.press('Tab');
    }
    throw new Error(`${target} is not reached by ${mostSteps} times Tab`);
  };
  return {
    async press(target) {
      await reach(target);
      await keyboard.press('Enter');
    },
    async write(target, text) {
      await reach(target);
      await keyboard.press('ControlOrMeta+a');
      await keyboard.type(text);
    },
    async setTime(target, time) {
      await reach(target);
      const [, year, month, day, hour = '', minute] = /^(\d+)-(\d+)-(\d+)T(\d+):(\d+)$/.exec(time) ?? [];
      // Chromium orders the parts by its own language, which is English here. A year may have more than four digits.
      await keyboard.type(`${month}${day}${year}`);
      await keyboard.press('ArrowRight');
      await keyboard.type(
        `${String(Number(hour) % 12 || 12).padStart(2, '0')}${minute}${Number(hour) < 12 ? 'A' : 'P'}`,
      );
      const typed = await target.inputValue();
      if (typed !== time) {
        throw new Error(`${target} has ${typed} instead of ${time}`);
      }
    },
    async tick(target) {
      if (!(await target.isChecked())) {
        await reach(target);
        await keyboard.press('Space');
      }
    },
    async pick(target) {
      const name = await target.getAttribute('name');
      await reach(page.locator(`input[name="${name}"]:checked`));
      for (let step = 0; !(await target.isChecked()) && step < mostSteps; step += 1) {
        await keyboard.press('ArrowDown');
      }
    },
    async select(target, name) {
      await reach(target);
      // Letters that come slowly choose another entry each.
      await keyboard.press('Home');
      for (let step = 0; (await chosen(target)) !== name; step += 1) {
        if (step > mostSteps) {
          throw new Error(`${target} has no entry "${name}"`);
        }
        await keyboard.press('ArrowDown');
      }
    },
  };
}

/** The name of the entry that a list shows. */
function chosen(list: Locator): Promise<string | undefined> {
  return list.evaluate((element) => {
    const { selectedOptions } = element as unknown as { selectedOptions: { label: string }[] };
    return selectedOptions[0]?.label;
  });
}
