// Rows that refer to lost ones are taken out, and no other row.
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deleteOrphans } from '#kernel/sqlite/salvage/orphans.ts';

const tables = `PRAGMA foreign_keys = OFF;
CREATE TABLE house (id INTEGER PRIMARY KEY);
CREATE TABLE room (house INTEGER REFERENCES house(id), number INTEGER, PRIMARY KEY (house, number));
CREATE TABLE lamp (id INTEGER PRIMARY KEY, house INTEGER, number INTEGER, owner INTEGER REFERENCES house(id),
  FOREIGN KEY (house, number) REFERENCES room(house, number));`;

const id = fc.integer({ min: 0, max: 3 });
const idOrNull = fc.option(id);
const contents = fc.record({
  houses: fc.uniqueArray(id),
  rooms: fc.uniqueArray(fc.tuple(id, id), { selector: String }),
  lamps: fc.array(fc.tuple(idOrNull, idOrNull, idOrNull), { maxLength: 12 }),
});

test('rows stay when all that they refer to is there, or when they refer to nothing', () => {
  fc.assert(
    fc.property(contents, ({ houses, rooms, lamps }) => {
      using db = Object.assign(new Database(':memory:'), { [Symbol.dispose]: () => db.close() });
      db.exec(tables);
      const insert = (table: string, rows: readonly (readonly (number | null)[])[]) => {
        for (const row of rows) {
          db.prepare(`INSERT INTO ${table} VALUES (${row.map(() => '?').join()})`).run(...row);
        }
      };
      insert(
        'house',
        houses.map((house) => [house]),
      );
      insert('room', rooms);
      insert(
        'lamp',
        lamps.map((lamp, index) => [index, ...lamp]),
      );

      const roomsLeft = rooms.filter(([house]) => houses.includes(house));
      const isRoom = (house: number, number: number) =>
        roomsLeft.some((room) => room[0] === house && room[1] === number);
      const lampsLeft = lamps.flatMap(([house, number, owner], index) => {
        const hasRoom = house === null || number === null || isRoom(house, number);
        return hasRoom && (owner === null || houses.includes(owner)) ? [index] : [];
      });
      const lost = rooms.length - roomsLeft.length + lamps.length - lampsLeft.length;
      expect(deleteOrphans(db)).toBe(lost);
      expect(db.prepare('SELECT id FROM lamp ORDER BY id').pluck().all()).toEqual(lampsLeft);
      expect(db.prepare('SELECT count(*) FROM room').pluck().get()).toBe(roomsLeft.length);
      expect(db.prepare('SELECT count(*) FROM house').pluck().get()).toBe(houses.length);
    }),
  );
});
