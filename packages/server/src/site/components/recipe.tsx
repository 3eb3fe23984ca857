import { describeTarget, toSent } from '../../audit/describeTarget.ts'
import { createClients } from '../../facts/clientIdentities.ts'
import type { Observation } from '../../facts/facts.ts'
import type { EndpointState } from '../../facts/hostDocument.ts'
import { formatTime } from '../format.ts'
import { cleanText, linkable } from '../text.ts'
import { Address, Snippet } from './prose.tsx'

/** Subject of a recipe. */
export type RecipeOf = {
  /** Code of a reason, such as a flag, or kind of an incident. @default the terms alone */
  readonly code?: string
  readonly state: Pick<EndpointState, 'endpoint' | 'method' | 'listings' | 'priceUsd'> &
    Partial<Pick<EndpointState, 'network' | 'payTo'>>
  /** Probes that show the finding; for `flaky`, those that failed lately. @default none */
  readonly observations?: readonly Observation[]
  /** Contact that the first client identity names. @default none */
  readonly contact?: string | undefined
}

type How = 'once' | 'twice' | 'clients' | 'claim' | 'time' | 'pay'

/** How each finding shows: codes of reasons and kinds of incidents, what is run, and what is seen. */
const SHOWN: readonly (readonly [codes: string, how: How, expect: string])[] = [
  ['cloaked', 'clients', 'payTo or amount differ by client; repeated, each gets its own again.'],
  ['terms_disagree', 'clients', 'Entries of one network, asset and scheme name different payTo or amounts.'],
  ['payto_rotates', 'twice', 'The same request twice within a minute names two receivers in payTo.'],
  ['payto_changed receiver_hijack', 'once', 'payTo in accepts is not the receiver of before.'],
  ['receiver_unconfirmed', 'once', 'payTo in accepts is not the receiver of before.'],
  ['price_bait bait_and_switch price_drift', 'claim', 'The first is what the host claims; it asks another.'],
  ['receiver_differs_from_listing', 'claim', 'payTo is another in each; the first is what the host claims.'],
  [
    'no_delivery honeypot',
    'pay',
    'Without TOUCHSTONE_URL, this pays real money, and exits with 2 if no complete 2xx came back.',
  ],
  ['dark invalid degraded', 'once', 'Working endpoints answer 402 with their terms within 30 seconds.'],
  ['flaky score_recovering refused', 'once', 'Working endpoints answer 402 within 30 seconds.'],
  ['slow', 'time', 'The last line is the time until the answer was complete.'],
  ['network_testnet', 'once', 'network in accepts is a test network.'],
  ['asset_unknown', 'once', 'asset in accepts is no stablecoin that its issuer names on that network.'],
  ['scheme_unsafe', 'once', 'scheme and extra in accepts describe a flow that no specification publishes.'],
  ['unpayable_by_stock', 'once', 'extra in accepts lacks the EIP-712 name and version of the token.'],
  ['price_high', 'once', 'amount in accepts, in millionths of a dollar for USDC.'],
  ['price_varies', 'twice', 'amount in accepts changes from one request to another; repeat it some times.'],
  ['resource_mismatch', 'once', 'resource names another origin.'],
  ['receiver_unverified', 'once', 'payTo in accepts is no usable address.'],
  ['unverified_receiver', 'once', 'payTo in accepts is unusable, or the explorer shows no USDC received.'],
  ['receiver_never_paid', 'once', 'The explorer shows no USDC received by payTo in accepts.'],
  ['receiver_sanctioned', 'once', 'payTo in accepts, for which isSanctioned(address) of the oracle is true.'],
  ['receiver_flagged receiver_accused_elsewhere', 'once', 'payTo in accepts is that of the incident.'],
]
const TERMS = ['', 'once', 'The answer is 402; accepts names receiver, price and network.'] as const

const MAX_BODY = 1000
/** Shows the challenge of a header in plain text, and no control character of an answer. */
const DECODE = `awk '{sub(/\\r$/,"")} tolower($1)=="payment-required:"{print $2|"base64 -d";next} 1' | cat -v`
const PAY =
  'PRIVATE_KEY_FILE=key npx -p @touchstone402/guard -p @x402/fetch -p @x402/evm -p viem touchstone pay'

// A single quote ends the quoted text; everything else is literal inside.
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Returns the recipe of a finding: commands that are safe to paste, and their expected output. */
export function writeRecipe({ code = '', state, observations = [], contact = '' }: RecipeOf) {
  const [, how, expect] = SHOWN.find(([codes]) => codes.split(' ').includes(code)) ?? TERMS
  // As the prober sends it.
  const sent = toSent(state.method, describeTarget(state.endpoint, state.listings, undefined))
  const method = /^[A-Z]{1,12}$/.test(sent.method) ? sent.method : 'GET'
  const url = quote(cleanText(linkable(sent.url) ?? state.endpoint, 4096))
  const body = sent.body !== null && sent.body.length <= MAX_BODY ? quote(cleanText(sent.body, MAX_BODY)) : ''
  const identities = createClients(cleanText(contact, 200))
  // Globbing is off, so that no URL becomes many requests, and the body is raw, so that none names a file.
  const curl = (client?: string, more = '') => {
    const { headers = {} } = identities.find(({ id }) => id === client) ?? {}
    const verb = method === 'HEAD' ? ' -I' : method === 'GET' ? '' : ` -X ${method}`
    const given = Object.entries(headers).map(([name, value]) =>
      name === 'accept-encoding' ? ' --compressed' : ` -H ${quote(`${name}: ${value}`)}`,
    )
    const raw = body === '' ? '' : ` -H 'content-type: application/json' --data-raw ${body}`
    return `curl -sig -m 30${more}${verb}${given.join('')}${raw} ${url} | ${DECODE}`
  }
  const seen = [...new Set(observations.map(({ client }) => client))].sort()
  const documents = ['/.well-known/x402', '/openapi.json']
    .map((path) => quote(new URL(path, state.endpoint).href))
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
      claim: [`curl -sg -m 30 ${documents} | cat -v`, curl()],
      time: [curl(undefined, ` -w '\\n%{time_total} s\\n'`)],
      pay: [`${PAY} ${url} --max-usd ${most}${data}`],
    }[how],
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
        {expect}
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
