// What the simulated UPS measures, by the element ids of its status page, and the two models it can be.
import { z } from 'zod';

/** Element ids of version 1.4.0 without `value_`, with the decimals the page shows. */
export const itemDecimals = {
  DeviceStatus: 0,
  RealPowerPct: 1,
  RuntimeRemaining: 0,
  InternalTemp: 1,
  ApparentPowerPct: 1,
  LoadCurrent: 1,
  InputVoltage: 1,
  OutputVoltage: 1,
  InputFrequency: 1,
  OutputFrequency: 1,
  BatteryCharge: 1,
  VoltageDC: 1,
} as const;

export type Item = keyof typeof itemDecimals;
export const items = Object.keys(itemDecimals) as Item[];

/** What `DeviceStatus` can say; the page words it in its language. */
export const unitStates = ['online', 'battery', 'boost', 'trim'] as const;
export type UnitState = (typeof unitStates)[number];

/**
 * A number is shown in the notation of the language, a text exactly as it is (but `DeviceStatus` takes the words of
 * `unitStates`), and null takes the element off the page. Runtime is in minutes, temperature in °C.
 */
export type Values = Record<Item, number | string | null>;

/** Some of the values; what is absent or undefined stays as it is. */
export type ValuesChange = { readonly [I in Item]?: Values[I] | undefined };

export const valuesSchema = z
  .object(
    Object.fromEntries(items.map((item) => [item, z.union([z.number(), z.string().max(500), z.null()])])) as Record<
      Item,
      z.ZodUnion<[z.ZodNumber, z.ZodString, z.ZodNull]>
    >,
  )
  .partial()
  .strict();

/** A small unit shows six items, a larger one twelve. */
export const models = {
  backups: {
    DeviceStatus: 'online',
    RealPowerPct: 19,
    RuntimeRemaining: 29,
    InternalTemp: null,
    ApparentPowerPct: null,
    LoadCurrent: null,
    InputVoltage: 102,
    OutputVoltage: null,
    InputFrequency: null,
    OutputFrequency: null,
    BatteryCharge: 100,
    VoltageDC: 13.7,
  },
  smart: {
    DeviceStatus: 'online',
    RealPowerPct: 45.3,
    RuntimeRemaining: 75,
    InternalTemp: 28.3,
    ApparentPowerPct: 46.5,
    LoadCurrent: 6.2,
    InputVoltage: 210.4,
    OutputVoltage: 210.4,
    InputFrequency: 49.7,
    OutputFrequency: 49.7,
    BatteryCharge: 95,
    VoltageDC: 26.8,
  },
} as const satisfies Record<string, Values>;

export type Model = keyof typeof models;
