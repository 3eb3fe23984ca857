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
  test('default: pays once and answers a tool call with a message', async () => {
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
      content: expect.stringMatching(/^Status 200\. Untrusted content .*\n\S+\n\{"weather":"sunny"\}\n\S+$/),
    })
    expect([counter.signatures, harness.seller.payments.length]).toEqual([1, 1])
  })

  test('behavior: is a structured tool with a name and a JSON Schema', () => {
    const { pay, check } = setUp()
    expect([pay, check].map((tool) => isStructuredTool(tool))).toEqual([true, true])
    expect([pay.name, check.name]).toEqual(['guarded_fetch', 'check_x402_endpoint'])
    expect(pay.schema).toMatchObject({ type: 'object', required: ['url'] })
  })

  test('error: a refusal is an answer, and nothing is signed', async () => {
    harness.seller.character = { terms: [{ payTo: THIEF }] }
    const { pay, counter } = setUp()
    expect(await pay.invoke({ url: harness.url })).toBe(
      'Not paid (RECEIVER_NOT_CHECKED): The receiver that is offered is not the one that was checked.',
    )
    expect([counter.signatures, harness.seller.payments.length]).toEqual([0, 0])
  })

  test.each([
    ['no URL', {}],
    ['a method of its own', { url: 'https://a.example', method: 'TRACE' }],
    ['a body that is no text', { url: 'https://a.example', body: {} }],
  ])('error: LangChain turns away %s', async (_, input) => {
    const { pay, counter } = setUp()
    await expect(pay.invoke(input)).rejects.toThrow('did not match expected schema')
    expect(counter.signatures).toBe(0)
  })

  test('error: without a fetch of its own it reaches public addresses alone', async () => {
    const { pickyPay, counter } = setUp()
    expect(await pickyPay.invoke({ url: harness.url })).toBe('The address is not public.')
    expect(counter.signatures).toBe(0)
  })
})

describe('createCheckEndpointTool', () => {
  test('default: says the verdict', async () => {
    const answer = await setUp().check.invoke({ endpoint: harness.url })
    expect(JSON.parse(answer)).toMatchObject({ label: 'Safe to pay', verdict: { verdict: 'safe' } })
  })

  test('error: what is no URL', async () => {
    expect(await setUp().check.invoke({ endpoint: 'nothing' })).toContain('Not a URL that can be checked')
  })
})
