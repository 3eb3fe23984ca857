import { startService } from '@touchstone402/demo'
import { allSellers, start } from '@touchstone402/economy'
import { callEverything } from '../contract/callEverything.ts'
import { createChecker } from '../contract/createChecker.ts'
import { runSuite } from '../contract/runSuite.ts'
import { watchAnswers } from '../contract/watchAnswers.ts'

const LIMIT = 60
/** Sellers of the short form: a safe one of each version, and some with incidents. */
const FEW: readonly string[] = ['honest-v2', 'honest-v1', 'swapped', 'price-bait', 'dead']
/** Statuses that must occur, or the calls were not effective. */
const REACHED = [200, 304, 400, 402, 404, 405, 409, 429, 503]

/**
 * Checks every response against `/openapi.json`: of every operation over the running economy and, unless short, of the
 * whole end-to-end suite.
 */
export async function run({ short }: { short: boolean }) {
  const { ok, figures } = await callOperations(short)
  if (short) return { ok, figures }
  const suite = await runSuite()
  return {
    ok: ok && suite.hasPassed && suite.answers > 0 && suite.violations === 0,
    figures: {
      answers: figures.answers + suite.answers,
      violations: figures.violations + suite.violations,
      operations: figures,
      suite,
    },
  }
}

/** Calls every operation over the running economy and checks each response. */
async function callOperations(short: boolean) {
  const economy = await start(short ? { sellers: allSellers.filter(({ id }) => FEW.includes(id)) } : {})
  const service = await startService(economy, {
    settings: {
      PORT: '0',
      PUBLIC_URL: 'https://trust.example',
      RATE_LIMIT_PER_MINUTE: String(LIMIT),
      TRUST_PROXY: '1',
    },
  })
  try {
    await economy.clock.caughtUp
    const document = await (await fetch(`${service.url}/openapi.json`)).json()
    const check = createChecker(document)
    const watch = watchAnswers(check)
    await callEverything({ economy, service, check, watch, limit: LIMIT, short })
    for (const violation of watch.violations.slice(0, 50))
      process.stderr.write(`${violation.slice(0, 600)}\n`)
    const { answers, violations, statuses } = watch
    const missed = REACHED.filter((status) => statuses[status] === undefined)
    const figures = { answers, violations: violations.length, statuses, missed }
    return { ok: answers > 0 && violations.length === 0 && missed.length === 0, figures }
  } finally {
    await service.stop()
    await economy.stop()
  }
}
