import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** A width and a colour scheme. */
export type View = { readonly width: number; readonly colorScheme: 'light' | 'dark' }

/** Faults of an open page, one line each. */
export type Examination = {
  readonly axeSerious: readonly string[]
  /** Elements or effects that only a seller's text can cause. */
  readonly injected: readonly string[]
  /** Viewport widths at which the page overflows. */
  readonly overflows: readonly string[]
  /** Text below {@link MIN_TYPE_PX}. */
  readonly smallType: readonly string[]
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const WIDTHS = [360, 390, 768, 1440]
const MIN_TYPE_PX = 13

/** A phone and a desktop, each light and dark. */
export const VIEWS: readonly View[] = [390, 1440].flatMap((width) => [
  { width, colorScheme: 'light' as const },
  { width, colorScheme: 'dark' as const },
])

/** Both widths and both schemes in half the time: a bright phone and a dark desktop. */
export const FEW_VIEWS: readonly View[] = VIEWS.filter(
  ({ width, colorScheme }) => (width === 390) === (colorScheme === 'light'),
)

/** A bright phone. */
export const ONE_VIEW: readonly View[] = VIEWS.slice(0, 1)

/** Examines an open page at each view. Leaves the page at the last one. */
export async function examinePage(
  page: Page,
  options: {
    views: readonly View[]
    /** Whether the page may run scripts, which axe needs. */
    hasScripts: boolean
    /** Start of the names of screenshots. @default no screenshots */
    screenshots?: string | undefined
  },
): Promise<Examination> {
  const { views, hasScripts, screenshots } = options
  const [axeSerious, overflows, smallType]: [string[], string[], string[]] = [[], [], []]
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    if (wide > 0) overflows.push(`${width} px: ${wide} px too wide`)
  }
  for (const { width, colorScheme } of views) {
    const name = `${width} ${colorScheme}`
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    if (hasScripts) axeSerious.push(...(await runAxe(page)).map((fault) => `${name} ${fault}`))
    smallType.push(...(await findSmallType(page)).map((fault) => `${name} ${fault}`))
    if (screenshots !== undefined) {
      await page.screenshot({ path: `${screenshots}-${width}-${colorScheme}.png`, fullPage: true })
    }
  }
  return { axeSerious, injected: await findInjected(page), overflows, smallType }
}

/** Returns serious and critical violations. axe bypasses the page's CSP. */
async function runAxe(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  const results = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })')
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`)
}

/** Returns visible text in small type, once for each kind of element. */
function findSmallType(page: Page): Promise<string[]> {
  return page.evaluate((min) => {
    const found = new Map<string, string>()
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const { parentElement: element, textContent } = texts.currentNode
      if (element === null || !textContent?.trim() || !element.checkVisibility()) continue
      let size = Number.parseFloat(getComputedStyle(element).fontSize)
      // Type in a drawing scales with it.
      const matrix = element instanceof SVGGraphicsElement ? element.getScreenCTM() : null
      if (matrix !== null) size *= matrix.a
      const kind = `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''}`
      if (size < min - 0.05) found.set(kind, `${size.toFixed(1)} px ${kind}: ${textContent.slice(0, 60)}`)
    }
    return [...found.values()]
  }, MIN_TYPE_PX)
}

/** Returns signs of injection: only our own scripts and images, no frames, objects or event handlers. */
function findInjected(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = []
    if ('injected' in window) found.push('a script ran')
    const foreign =
      'script:not([src^="/assets/"]), iframe, object, embed, style, base, img:not([src^="/"]), svg[onload], [onerror]'
    for (const element of document.querySelectorAll(foreign)) found.push(element.outerHTML.slice(0, 160))
    for (const { href } of document.querySelectorAll('a')) {
      if (!/^(https?|mailto):/.test(href)) found.push(href.slice(0, 160))
    }
    if (/[\u202a-\u202e\u2066-\u2069]/.test(document.documentElement.outerHTML))
      found.push('a bidi control character')
    return found
  })
}
