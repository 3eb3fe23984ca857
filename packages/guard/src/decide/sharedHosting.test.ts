import { expect, test } from 'vitest'
import { parsePolicy } from './policySchema.ts'
import { refuseSharedHosting } from './sharedHosting.ts'

const check = (...entries: string[]) =>
  refuseSharedHosting(parsePolicy({ hosts: Object.fromEntries(entries.map((entry) => [entry, {}])) }))

test.each(['*.vercel.app', '*.github.io', '*.co.uk', '*.com'])(
  'error: refuses %s, below which anybody can open a host',
  (entry) => {
    expect(() => check('api.example.com', entry)).toThrow(
      `policy.hosts: anybody can open a host below ${entry.slice(2)}; name the hosts one by one, such as "shop.`,
    )
  },
)

test.each(['*.example.com', '*.shop.vercel.app', 'shop.vercel.app', '*.corp.internal', '*.internal'])(
  'default: takes %s, whose hosts have one owner',
  (entry) => {
    expect(() => check(entry)).not.toThrow()
  },
)
