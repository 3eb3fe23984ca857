import { existsSync } from 'node:fs'

const PLACES = [
  // Loads a page in half the time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * Returns the path of a Chromium: `CHROMIUM_PATH`, or a standard location.
 * @throws with instructions if there is none.
 */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): string {
  const named = environment.CHROMIUM_PATH
  const found = (named === undefined ? PLACES : [named]).find((path) => existsSync(path))
  if (found === undefined) {
    throw new Error(
      named === undefined
        ? 'There is no Chromium here: install one (Debian: apt-get install chromium-headless-shell), or name it in CHROMIUM_PATH.'
        : `CHROMIUM_PATH names ${named}, which is not there.`,
    )
  }
  return found
}
