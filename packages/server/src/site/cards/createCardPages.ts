import type { Page, PageAnswer, PageRequest } from '../../http/deps.ts'
import { ProblemError } from '../../http/problems.ts'
import { admit, createLimiter } from '../../http/rateLimit.ts'
import { findHost } from '../hostName.ts'
import type { PageDeps } from '../pageDeps.ts'
import { firstExpiry } from '../profile/loadProfile.ts'
import { createRenderer } from './createRenderer.ts'
import { checkCard, hostCard, incidentCard } from './describeCards.ts'
import { type Card, drawCard } from './drawCard.tsx'

const MAX_AGE_SECONDS = 300
/** Cards that a client may have drawn; those in the cache are not counted. */
const DRAWN_PER_CLIENT = { points: 60, windowSeconds: 60 }
const ID = /^[\w-]{1,64}$/

type Kind = 'services' | 'incidents' | 'scans'
type Described = { readonly card: Card } & Pick<PageAnswer, 'expiresAt' | 'isUnlisted'>
type Describe = (deps: PageDeps, name: string) => Promise<Described | undefined>

/** What the card of a page shows, by the section of the site; undefined if there is no such page. */
const CARDS: Readonly<Record<Kind, Describe>> = {
  services: async (deps, name) => {
    const summary = await findHost(deps, name)
    const now = deps.clock.now()
    return { card: hostCard(summary, now), expiresAt: firstExpiry(summary, now) }
  },
  incidents: async ({ store }, id) => {
    const incident = ID.test(id) ? await store.incident(id) : undefined
    return incident && { card: incidentCard(incident) }
  },
  scans: async ({ checks }, id) => {
    const found = ID.test(id) ? await checks?.read(id) : undefined
    return found && { card: checkCard(found.check), isUnlisted: true }
  },
}

/** Creates the share cards: `/cards/{section}/{name}.png`, which previews of links show. */
export function createCardPages(deps: PageDeps): Page[] {
  const renderer = createRenderer()
  const drawing = createLimiter(DRAWN_PER_CLIENT)
  const site = new URL(deps.publicUrl).host
  const answer = async (describe: Describe, { params, client }: PageRequest): Promise<PageAnswer> => {
    const [, name] = /^(.+)\.png$/.exec(params.file ?? '') ?? []
    const described = name === undefined ? undefined : await describe(deps, name)
    if (described === undefined) throw new ProblemError(404, 'not_found', 'There is no card of this name.')
    const { card, ...options } = described
    const svg = drawCard(card, site)
    const ready = renderer.peek(svg)
    if (ready === undefined) admit(drawing, client)
    const body = ready ?? (await renderer.render(svg))
    return { ...options, type: 'image/png', body, maxAgeSeconds: MAX_AGE_SECONDS }
  }
  return Object.entries(CARDS).map(([section, describe]) => ({
    path: `/cards/${section}/:file`,
    handler: (request) => answer(describe, request),
  }))
}
