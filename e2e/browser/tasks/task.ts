import type { Locator, Page } from 'playwright-core'
import type { View } from '../examinePage.ts'
import type { Site } from '../openSite.ts'

/** A browser with its own address, hence its own rate limit. */
export type Device = View & {
  readonly name: string
  readonly hasScripts: boolean
  /** From 0; what may be asked for once only is another one for each device. */
  readonly index: number
}

/** A person with an open tab. */
export type Visitor = {
  readonly page: Page
  readonly device: Device
  readonly site: Site
  /** Opens a path. @returns its status */
  open(path: string): Promise<number>
  /** Clicks a link or a button, and waits for the page it leads to. @returns its status */
  press(target: Locator): Promise<number>
  /** Waits until the text is visible, over reloads too. @throws after 20 s */
  see(text: string | RegExp): Promise<void>
  /** Inspects the page as it is now. */
  inspect(name: string): Promise<void>
}

/** A task of a visitor. It fails by throwing. */
export type Task = {
  readonly name: string
  readonly run: (visitor: Visitor) => Promise<void>
}

/** @throws unless a value is the wanted one */
export function want(what: string, seen: unknown, wanted: unknown): void {
  if (seen !== wanted) throw new Error(`${what} is ${JSON.stringify(seen)}, not ${JSON.stringify(wanted)}`)
}

/** Returns the seller of an id. @throws if there is none */
export function findSeller({ site }: Visitor, id: string) {
  const seller = site.economy.sellers[id]
  if (seller === undefined) throw new Error(`the economy has no ${id}`)
  return seller
}

/** Path of a seller's profile. */
export const profileOf = (visitor: Visitor, id: string) =>
  `/services/${encodeURIComponent(findSeller(visitor, id).host)}`
