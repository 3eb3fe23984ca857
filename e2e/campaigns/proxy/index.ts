import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keyAt, WALLET_INDEX } from '@touchstone402/economy'
import { parseUnits } from 'viem'
import { startChild } from '../../support/child.ts'
import { type ProxyProcess, startProxyProcess } from '../../support/proxyProcess.ts'
import { type Agent, prepareAgents, runAgent, SIGNING_AGENT } from './agents.ts'
import { findLeaks, readProxy, type Seen } from './findLeaks.ts'
import { type Call, type Market, openMarket } from './market.ts'

/** Limits of the pace and of a host are wide, since all sellers share one. */
const POLICY = {
  velocity: { perHostPerMinute: 1000 },
  maxPerHostPerDayUsd: '5.00',
  onUnknown: { maxPerDomainPerDayUsd: '0.50' },
}
const BURST_USD = '0.30'
const BURST_CALLS = 50

/**
 * Agents in any language pay through `touchstone proxy`, within their budgets, and see no secret.
 *
 * Agents in Python, curl, Node and Rust, each with the token of its own task, call every seller of the economy and a
 * slow one, whose calls they give up and repeat, through one proxy. Fifty calls at once exceed the budget of a task. An
 * agent without a key pays by `POST /sign` through a second proxy, and tries to have other terms signed.
 *
 * The bar: every honest seller is paid once, and no thief; nothing settles, or could, beyond that and the budgets; and
 * no key, token, password or signature of a payment shows in what agents got, or in the output, page and ledger of the
 * proxy.
 */
export async function run({ short }: { short: boolean }) {
  const { ready, notRun, remove } = await prepareAgents()
  const market = await openMarket(!short)
  const proxies: ProxyProcess[] = []
  const faults: string[] = []
  const sum = { calls: 0, paid: 0, refused: 0, repeated: 0, overspent: 0 }
  const seen: Seen[] = []

  /** Has an agent make calls with the token of a task, and checks the answers and the chain. */
  const check = async (proxy: ProxyProcess, wallet: 0 | 1, agent: Agent, task: Task, calls: Call[]) => {
    const { address } = market.economy.wallets.bots[wallet] ?? {}
    if (address === undefined) throw new Error('the economy lacks a wallet')
    const spent = async () => market.uncollected() - (await market.economy.chain.usdcBalanceOf(address))
    const before = await spent()
    const token = proxy.tokens[task.name] ?? ''
    const { printed, replies } = await runAgent(agent, proxy.address, token, calls, task.atOnce)
    const moved = (await spent()) - before
    const budget = parseUnits(task.maxUsd, 6)
    const due = calls.reduce((total, { price }) => total + (price ?? 0n), 0n)
    const isOver = due > budget
    const allowed = isOver ? budget : due
    seen.push({ where: `${task.name} agent`, text: printed })
    if (moved > allowed) sum.overspent += Number(moved - allowed)
    if (moved !== allowed) faults.push(`${task.name}: ${moved} left the wallet, not ${allowed}`)
    if (printed.includes('FORGED')) faults.push(`${task.name}: other terms were signed`)
    for (const { url, price } of calls) {
      const { status = 0, headers, tries = 1 } = replies.get(url) ?? {}
      const isPaid = headers?.has('touchstone-payment') ?? false
      const code = headers?.get('touchstone-code')
      sum.calls += 1
      sum.repeated += tries - 1
      if (isPaid) sum.paid += 1
      if (code) sum.refused += 1
      const isRight = price === null ? !isPaid : isPaid && status === 200
      const isBeyond = isOver && code === 'OVER_TASK_LIMIT'
      if (!isRight && !isBeyond) faults.push(`${task.name}: ${url}: ${status} ${code ?? ''}, paid: ${isPaid}`)
    }
  }

  try {
    const tasks = ready.map(({ language }): Task => ({ name: language, maxUsd: '0.50' }))
    const burst = { name: 'burst', maxUsd: BURST_USD, atOnce: BURST_CALLS }
    const overhead = { name: 'overhead', maxUsd: '3.00' }
    const proxy = await openProxy(market, 0, [...tasks, burst, overhead])
    proxies.push(proxy)
    const signing = { name: 'signing', maxUsd: '0.50' }
    const signer = await openProxy(market, 1, [signing], '--sign')
    proxies.push(signer)
    for (const [index, agent] of ready.entries()) {
      // The last agent meets a receiver that has changed since the others paid.
      if (index === ready.length - 1) market.swap()
      const { language } = agent
      await check(proxy, 0, agent, { name: language, maxUsd: '0.50' }, market.calls(language))
    }
    const python = ready.find(({ language }) => language === 'python')
    if (python !== undefined) {
      const [call] = market.calls('burst')
      if (call === undefined) throw new Error('the market has no sellers')
      const calls = Array.from({ length: BURST_CALLS }, (_, one) => ({ ...call, url: `${call.url}${one}` }))
      await check(proxy, 0, python, burst, calls)
      const patient = market.calls('signing').filter(({ seconds }) => seconds > 1)
      await check(signer, 1, SIGNING_AGENT, signing, patient)
    }
    const calls = short ? 40 : 200
    const times = await measureOverhead(market, proxy, overhead.name, calls)
    for (const one of proxies) seen.push(...(await readProxy(one)))
    const secrets = [
      ...proxies.flatMap(({ operator, pagePassword, tokens }) => [
        operator,
        pagePassword,
        ...Object.values(tokens),
      ]),
      ...WALLET_INDEX.bots.map((index) => keyAt(index).slice(2)),
      ...(await market.settledSignatures()),
    ]
    const leaks = findLeaks(seen, secrets)
    faults.push(...leaks.map((where) => `a secret stands in: ${where}`))
    const codes = await Promise.all(proxies.splice(0).map((one) => one.stop()))
    if (codes.some((code) => code !== 0)) faults.push(`the proxies ended with ${codes}`)
    for (const language of notRun) process.stderr.write(`not run, its tool is missing: ${language}\n`)
    for (const fault of faults) process.stderr.write(`${fault}\n`)
    const languages = ready.map(({ language }) => language)
    const figures = { languages, notRun, ...sum, leaks: leaks.length, secrets: secrets.length, ...times }
    return { ok: faults.length === 0, figures }
  } finally {
    for (const one of proxies) await one.stop()
    await market.stop()
    await remove()
  }
}

type Task = { name: string; maxUsd: string; atOnce?: number }

/** Measures what the proxy adds to a paid call, with a guard in the agent's process beside it. */
async function measureOverhead(
  { serviceUrl, quickUrl: url }: Market,
  { address: proxy, tokens, home }: ProxyProcess,
  task: string,
  calls: number,
) {
  const key = keyAt(WALLET_INDEX.bots[2])
  const file = join(home, 'in-process.jsonl')
  const settings = { proxy, token: tokens[task], key, serviceUrl, url, policy: POLICY, file, calls }
  const agent = startChild(new URL('./agents/timed.mjs', import.meta.url), { settings })
  const { proxyMs, inProcessMs } = await agent.hear<Record<'proxyMs' | 'inProcessMs', number>>()
  await agent.gone
  const round = (value: number) => Math.round(value * 100) / 100
  return {
    p50OverheadMs: round(proxyMs - inProcessMs),
    p50Ratio: round(proxyMs / inProcessMs),
    p50InProcessMs: round(inProcessMs),
  }
}

function openProxy(
  { serviceUrl, quickUrl, calls }: Market,
  wallet: 0 | 1,
  tasks: readonly Task[],
  ...more: string[]
) {
  const hosts = new Set([quickUrl, ...calls('').map(({ url }) => url)].map((url) => new URL(url).host))
  return startProxyProcess({
    key: keyAt(WALLET_INDEX.bots[wallet]),
    args(home) {
      const policy = join(home, 'policy.json')
      writeFileSync(policy, JSON.stringify(POLICY))
      const named = tasks.flatMap(({ name, maxUsd }) => ['--task', `${name}=${maxUsd}`])
      const allowed = [...hosts].flatMap((host) => ['--allow-host', host])
      return ['--port', '0', '--service', serviceUrl, '--policy', policy, ...named, ...allowed, ...more]
    },
  })
}
