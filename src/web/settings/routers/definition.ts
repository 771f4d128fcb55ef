// A router that is not saved yet: what was typed, and what a test found.
import type { RouterKind } from '#contract/routers.ts';
import type { Reply } from '../../api/client.ts';
import type { fieldsOf } from './router-fields.tsx';

export type Definition = ReturnType<typeof fieldsOf> & { kind: RouterKind; pass: string };
export type Detection = Reply<'POST /api/routers/detect'>;
