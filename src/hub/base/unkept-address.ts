/** Stored instead of a destination that is not kept, where a table needs one. */
export const unkeptAddress = '0.0.0.0';
