import type { PageDeps } from './pageDeps.ts'

/**
 * Returns the operator's contact as a URL that a page may link to: a mail address becomes a `mailto:`.
 * Undefined if there is none, or if it points at this service, which does not reach its operator.
 */
export function contactUrl({
  contact,
  publicUrl,
}: Pick<PageDeps, 'contact' | 'publicUrl'>): string | undefined {
  const text = contact?.trim() ?? ''
  if (/^[^\s@<>]+@[^\s@<>]+$/.test(text) && !text.includes(':')) return `mailto:${text}`
  if (!/^(mailto:|https:\/\/)\S+$/i.test(text) || !URL.canParse(text)) return undefined
  return text.startsWith(publicUrl) ? undefined : text
}
