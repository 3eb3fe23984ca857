import { type Browser, chromium } from 'playwright-core'
import { findChromium } from './findChromium.ts'

/** Starts a browser that calls nobody by itself; its profile is new and gone afterwards. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    args: [
      // Containers and CI run as root, where the sandbox does not start.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
