// One of two forms of an English word.

export const many = (count: number, one: string, more: string) => (count === 1 ? one : more);
