import { SIGNED_DEPOSITS } from './honestNews.ts'
import type { Kind } from './parts.ts'

/** Kinds whose rules are not built yet. Each moves to its list once its rule is. */
export const AWAITED: readonly Kind[] = [SIGNED_DEPOSITS]
