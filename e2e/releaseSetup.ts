import { offer } from '@touchstone402/shared/testing'
import type { TestProject } from 'vitest/node'
import { packAndInstall } from './docs/packAndInstall.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the packed packages of the run, for `openInstall`. */
    install: string
  }
}

/** Offers the packed and installed packages to all files of a run. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { address, stop } = await offer(async () => {
    const { install, remove } = await packAndInstall()
    return { answer: JSON.stringify(install), stop: remove }
  })
  provide('install', address)
  return stop
}
