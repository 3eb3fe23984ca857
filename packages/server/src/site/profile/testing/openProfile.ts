import type { Fact } from '../../../facts/facts.ts'
import { createSampleDeps } from '../../testing/createSampleDeps.ts'
import { HTML, openPages, samplesOf } from '../../testing/openPages.ts'

/** Returns the text of a page in one line, with no space before a mark. */
export const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .replaceAll(/ ([.,;:])/g, '$1')

/** Opens the profile of a sample host, with some facts beside its own. Returns the page, and the text of its plate. */
export async function openProfile(host: string, facts: readonly Fact[] = []) {
  const deps = await createSampleDeps(samplesOf(host))
  await deps.store.write('append', facts)
  const origin = await openPages([], deps)
  const html = await (await fetch(`${origin}/services/${host}`, HTML)).text()
  const [, hero = ''] = /<section class="panel hero(.*?)<\/section>/s.exec(html) ?? []
  return { origin, html, hero: textOf(hero), text: textOf(html) }
}
