// Times paid calls through the proxy and with the guard in this process, in turn.
import { createGuard } from '@touchstone402/guard'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { createFileLedger } from '@touchstone402/guard/ledger'
import { privateKeyToAccount } from 'viem/accounts'

const { proxy, token, key, serviceUrl, url, policy, file, calls } = JSON.parse(process.argv[2])
const ledger = await createFileLedger(file)
const guard = createGuard({ ledger, policy, service: { url: serviceUrl } })
const pay = createGuardedFetch({ account: privateKeyToAccount(key), guard })
const ways = {
  proxy: (target) => fetch(`${proxy}/${target}`, { headers: { 'Touchstone-Token': token } }),
  inProcess: (target) => pay(target),
}
const WARM_UP = 5
const times = { proxy: [], inProcess: [] }
for (let call = 0; call < WARM_UP + calls; call++) {
  for (const way of call % 2 === 0 ? ['proxy', 'inProcess'] : ['inProcess', 'proxy']) {
    const startedAt = performance.now()
    const response = await ways[way](`${url}?${way}=${call}`)
    await response.text()
    if (response.status !== 200)
      throw new Error(`${way}: ${response.status} ${response.headers.get('touchstone-code')}`)
    if (call >= WARM_UP) times[way].push(performance.now() - startedAt)
  }
}
await ledger.close()
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]
process.send({ proxyMs: median(times.proxy), inProcessMs: median(times.inProcess) })
process.disconnect()
