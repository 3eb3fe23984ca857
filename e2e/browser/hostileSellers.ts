import { allSellers, type SellerSpec } from '@touchstone402/economy'

/** Markup that runs if a seller's text is not escaped. */
export const PAYLOAD = '<img src=x onerror="window.injected=1"><script>window.injected=1</script>'

/** A part of {@link PAYLOAD} that must be visible as text. */
export const VISIBLE_PAYLOAD = '<script>window.injected=1</script>'

/** Creates honest sellers with hostile texts: markup, quotes, bidi control characters, 10 kB names. */
export function createHostileSellers(): SellerSpec[] {
  const [model] = allSellers.filter(({ id }) => id === 'honest-v1')
  if (model === undefined) throw new Error('the economy has no honest-v1')
  const texts = [
    { id: 'markup', title: `"' ${PAYLOAD}`, category: `"><svg onload="window.injected=1">` },
    { id: 'turned', title: 'Weather \u202egnp.exe\u202c \u2066x\u200b\u0000 مرحبا', category: '\u202e' },
    { id: 'long', title: `${'Very long '.repeat(1000)}`, category: 'x'.repeat(10_000) },
  ]
  return texts.map(({ id, title, category }, index) => ({
    ...model,
    id: `hostile-${id}`,
    title,
    category,
    path: index === 0 ? '/%22%3E%3Cscript%3Ewindow.injected=1%3C/script%3E' : model.path,
    // Address indexes that no other seller uses.
    receiver: { index: 180 + index, past: 'established' },
    listing: { bazaar: { version: 2 }, index402: { version: 2, health: 'healthy' } },
  }))
}
