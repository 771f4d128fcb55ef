/** The URL at which the page is served, with a slash at the end. The scripts lie in `assets/` below it. */
const script = import.meta.url;
export const base = new URL('../', script);
