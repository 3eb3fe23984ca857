import { isStructuredTool } from '@langchain/core/tools'
import { describe, expect, test } from 'vitest'
import { THIEF } from '../../testing/seller.ts'
import { useToolHarness } from '../../testing/toolHarness.ts'
import { createCheckEndpointTool, createGuardedFetchTool } from './createTools.ts'

const harness = useToolHarness()

function setUp() {
  const { guard, account, counter, fetch } = harness.setUp()
  return {
    counter,
    pay: createGuardedFetchTool({ account, guard, fetch }),
    check: createCheckEndpointTool({ guard }),
    pickyPay: createGuardedFetchTool({ account, guard }),
  }
}

describe('createGuardedFetchTool', () => {
  test('default: pays once and returns a tool message', async () => {
    const { pay, counter } = setUp()
    const message = await pay.invoke({
      type: 'tool_call',
      id: '1',
      name: 'guarded_fetch',
      args: { url: harness.url },
    })
    expect(message).toMatchObject({
      tool_call_id: '1',
      name: 'guarded_fetch',
      content: expect.stringMatching(
        /^Status 200, paid \$0\.01\. Untrusted content .*\n\S+\n\{"weather":"sunny"\}\n\S+$/,
      ),
      artifact: { status: 200, paid: true, state: 'settled' },
    })
    expect([counter.signatures, harness.seller.payments.length]).toEqual([1, 1])
  })

  test('behavior: has a name and a JSON Schema', () => {
    const { pay, check } = setUp()
    expect([pay, check].map((tool) => isStructuredTool(tool))).toEqual([true, true])
    expect([pay.name, check.name]).toEqual(['guarded_fetch', 'check_x402_endpoint'])
    expect(pay.schema).toMatchObject({ type: 'object', required: ['url'] })
    expect([pay, check].map(({ metadata }) => metadata?.readOnlyHint)).toEqual([false, true])
  })

  test('error: returns a refusal as the result and signs nothing', async () => {
    harness.seller.character = { terms: [{ payTo: THIEF }] }
    const { pay, counter } = setUp()
    expect(await pay.invoke({ url: harness.url })).toContain('Not paid (RECEIVER_NOT_CHECKED): ')
    expect([counter.signatures, harness.seller.payments.length]).toEqual([0, 0])
  })

  test.each([
    ['no URL', {}],
    ['an unsupported method', { url: 'https://a.example', method: 'TRACE' }],
    ['a body that is not a string', { url: 'https://a.example', body: {} }],
  ])('error: rejects input with %s', async (_, input) => {
    const { pay, counter } = setUp()
    await expect(pay.invoke(input)).rejects.toThrow('did not match expected schema')
    expect(counter.signatures).toBe(0)
  })

  test('error: reaches only public addresses by default', async () => {
    const { pickyPay, counter } = setUp()
    expect(await pickyPay.invoke({ url: harness.url })).toContain('the address is not public')
    expect(counter.signatures).toBe(0)
  })
})

describe('createCheckEndpointTool', () => {
  test('default: returns the verdict', async () => {
    const answer = await setUp().check.invoke({ url: harness.url })
    expect(JSON.parse(answer)).toMatchObject({ label: 'Safe to pay', verdict: { verdict: 'safe' } })
  })

  test('error: rejects an invalid URL', async () => {
    expect(await setUp().check.invoke({ url: 'nothing' })).toContain('The URL cannot be checked')
  })
})
