import { FLAG_RECORDS, type FlagRecord, isFlag } from '@touchstone402/shared'
import { describeTarget, toSent } from '../../audit/describeTarget.ts'
import { createClients } from '../../facts/clientIdentities.ts'
import type { Observation } from '../../facts/facts.ts'
import type { EndpointState } from '../../facts/hostDocument.ts'
import { formatTime } from '../format.ts'
import { cleanText, linkable, quoteShell } from '../text.ts'
import { Address, Measured, Snippet } from './prose.tsx'

/** Subject of a recipe. */
export type RecipeOf = {
  /** Code of a reason, such as a flag, or kind of an incident. @default the terms alone */
  readonly code?: string
  readonly state: Pick<EndpointState, 'endpoint' | 'method' | 'listings' | 'priceUsd'> &
    Partial<Pick<EndpointState, 'network' | 'payTo' | 'payToHistory'>>
  /** Probes that show the finding; for `flaky`, those that failed lately. @default none */
  readonly observations?: readonly Observation[]
  /** Contact that the first client identity names. @default none */
  readonly contact?: string | undefined
}

type Shown = NonNullable<FlagRecord['shown']>

const CHANGED: Shown = { by: 'once', as: 'payTo in accepts differs from the earlier receiver.' }
const DOWN: Shown = { by: 'once', as: 'Working endpoints answer 402 with their terms within 30 seconds.' }
const FAILING: Shown = { by: 'once', as: 'Working endpoints answer 402 within 30 seconds.' }
const TERMS: Shown = { by: 'once', as: 'The answer is 402; accepts names receiver, price and network.' }

/** Recipes of reasons and incidents that are not flags. */
const OTHERS: Readonly<Record<string, Shown | undefined>> = {
  receiver_unconfirmed: CHANGED,
  dark: DOWN,
  invalid: DOWN,
  degraded: DOWN,
  score_recovering: FAILING,
  refused: FAILING,
  receiver_hijack: FLAG_RECORDS.payto_changed.shown,
  bait_and_switch: FLAG_RECORDS.price_bait.shown,
  honeypot: FLAG_RECORDS.no_delivery.shown,
  unverified_receiver: {
    by: 'once',
    as: 'payTo in accepts is unusable, or the explorer shows no USDC received.',
  },
}

function shownOf(code: string): Shown {
  return (isFlag(code) ? FLAG_RECORDS[code].shown : OTHERS[code]) ?? TERMS
}

/** Codes of a changed receiver. */
const CHANGES = ['payto_changed', 'receiver_hijack', 'receiver_unconfirmed']

/** Names the receiver that the answer shows now, and the one before it. */
function describeReceivers(history: EndpointState['payToHistory'] = [], otherwise: string): string {
  const [before, now] = history.slice(-2)
  if (before === undefined || now === undefined) return otherwise
  return `You should see payTo ${cleanText(now.payTo, 100)}; until ${now.from.slice(0, 10)} it was ${cleanText(before.payTo, 100)}.`
}

const MAX_BODY = 1000
/** Shows the challenge of a header in plain text, and no control character of an answer. */
const DECODE = `awk '{sub(/\\r$/,"")} tolower($1)=="payment-required:"{print $2|"base64 -d";next} 1' | cat -v`
const PAY =
  'PRIVATE_KEY_FILE=key npx -p @touchstone402/guard -p @x402/fetch -p @x402/evm -p viem touchstone pay'

/** Returns the recipe of a finding: commands that are safe to paste, and their expected output. */
export function writeRecipe({ code = '', state, observations = [], contact = '' }: RecipeOf) {
  const { by, as } = shownOf(code)
  const expect = by === 'once' && CHANGES.includes(code) ? describeReceivers(state.payToHistory, as) : as
  // As the prober sends it.
  const sent = toSent(state.method, describeTarget(state.endpoint, state.listings, undefined))
  const method = /^[A-Z]{1,12}$/.test(sent.method) ? sent.method : 'GET'
  const url = quoteShell(cleanText(linkable(sent.url) ?? state.endpoint, 4096))
  const body =
    sent.body !== null && sent.body.length <= MAX_BODY ? quoteShell(cleanText(sent.body, MAX_BODY)) : ''
  const identities = createClients(cleanText(contact, 200))
  // Globbing is off, so that no URL becomes many requests, and the body is raw, so that none names a file.
  const curl = (client?: string, more = '') => {
    const { headers = {} } = identities.find(({ id }) => id === client) ?? {}
    const verb = method === 'HEAD' ? ' -I' : method === 'GET' ? '' : ` -X ${method}`
    const given = Object.entries(headers).map(([name, value]) =>
      name === 'accept-encoding' ? ' --compressed' : ` -H ${quoteShell(`${name}: ${value}`)}`,
    )
    const raw = body === '' ? '' : ` -H 'content-type: application/json' --data-raw ${body}`
    return `curl -sig -m 30${more}${verb}${given.join('')}${raw} ${url} | ${DECODE}`
  }
  const seen = [...new Set(observations.map(({ client }) => client))].sort()
  const documents = ['/.well-known/x402', '/openapi.json']
    .map((path) => quoteShell(new URL(path, state.endpoint).href))
    .join(' ')
  const most = Math.min(Math.max(state.priceUsd ?? 0, 0.01), 1).toFixed(4)
  const data = `${method === 'GET' ? '' : ` --method ${method}`}${body === '' ? '' : ` --data ${body}`}`
  const failed = observations.filter(({ outcome }) => outcome === 'down').slice(0, 6)
  const times = failed.map(({ at, httpStatus, cause }) => `${formatTime(at)} (${httpStatus ?? cause})`)
  return {
    commands: {
      once: [curl()],
      twice: [curl(), curl()],
      clients: (seen.length > 1 ? seen : ['0', '1']).map((client) => curl(client)),
      documents: [`curl -sg -m 30 ${documents} | cat -v`, curl()],
      time: [curl(undefined, ` -w '\\n%{time_total} s\\n'`)],
      payment: [`${PAY} ${url} --max-usd ${most}${data}`],
    }[by],
    expect: times.length > 0 ? `${expect} Probes failed on ${times.join('; ')}.` : expect,
  }
}

/** Commands that reproduce a finding, what they show, and where the receiver's payments are. */
export function Recipe(of: RecipeOf) {
  const { commands, expect } = writeRecipe(of)
  const { network, payTo } = of.state
  return (
    <div class="recipe">
      <Snippet label="Commands that reproduce it" code={commands.join('\n')} />
      <p>
        <Measured text={expect} max={1000} />
        {network && payTo && (
          <>
            {' Receiver on chain: '}
            <Address value={payTo} network={network} />
          </>
        )}
      </p>
    </div>
  )
}
