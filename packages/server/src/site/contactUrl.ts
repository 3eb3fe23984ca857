import type { PageDeps } from './pageDeps.ts'

/**
 * Where to write to, as a URL that a page may link to: a mail address becomes a `mailto:`. Undefined where nobody is
 * named, and where what is named is this service itself, which is no way to reach the people behind it.
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
