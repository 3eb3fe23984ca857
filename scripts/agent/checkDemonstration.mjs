// Checks that the demonstration of the settings in .env is running, before an agent's script fails without it.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import './localNames.mjs'

const TIMEOUT_MS = 3_000
const ADVICE = 'start the demonstration first: npm run demo'

/**
 * Returns why an agent cannot run in a folder, or undefined if the service and the seller of its settings answer.
 * Both are asked, since settings of an earlier demonstration may name other ports.
 */
export async function checkDemonstration(folder, environment = process.env) {
  const file = join(folder, '.env')
  if (!existsSync(file)) return `There is no .env in ${folder}; ${ADVICE}, and save the settings it prints.`
  // As with Node's --env-file, the environment overrides the file.
  const settings = { ...parseEnv(readFileSync(file, 'utf8')), ...environment }
  const { TOUCHSTONE_URL, ENDPOINT_URL } = settings
  if (!TOUCHSTONE_URL) return `.env has no TOUCHSTONE_URL; ${ADVICE}, and save the settings it prints.`
  const urls = [TOUCHSTONE_URL, ENDPOINT_URL].filter(Boolean)
  const replies = await Promise.all(urls.map(answers))
  const silent = urls.find((_, index) => !replies[index])
  return silent === undefined
    ? undefined
    : `${silent} in .env does not answer; ${ADVICE}, and save the settings it prints.`
}

/** Returns whether a URL answers with any status. */
async function answers(url) {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
    await response.body?.cancel()
    return true
  } catch {
    return false
  }
}
