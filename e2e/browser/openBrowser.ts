import { type Browser, chromium } from 'playwright-core'
import { findChromium } from './findChromium.ts'

/** Starts a browser without background requests, with a temporary profile. */
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
