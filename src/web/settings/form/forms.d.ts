/** The fields of each form, which the build makes of the contract (scripts/form-schemas.ts). */
declare module 'virtual:forms' {
  export const forms: Readonly<Record<import('./field-schema.ts').FormRoute, import('./field-schema.ts').GroupSchema>>;
}
