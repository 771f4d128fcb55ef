// A router that is not saved yet: what was typed, and what a test found.
import type { RouterKind } from '#contract/routers.ts';
import type { Reply } from '../../api/client.ts';
import type { readRouterFields } from './router-fields.tsx';

export type Definition = ReturnType<typeof readRouterFields> & { kind: RouterKind; pass: string };
export type Detection = Reply<'POST /api/routers/detect'>;
