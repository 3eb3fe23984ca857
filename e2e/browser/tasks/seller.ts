import { walletAt } from '@touchstone402/economy'
import { findSeller, profileOf, type Task, type Visitor, want } from './task.ts'

const TEXT = 'Text that was signed'
const SIGNATURE = 'Signature by the old receiver'

async function check(visitor: Visitor, text: string, signature: string): Promise<number> {
  const { page, leave } = visitor
  await page.getByLabel(TEXT).fill(text)
  await page.getByLabel(SIGNATURE).fill(signature)
  return leave(() => page.getByRole('button', { name: 'Check the signature' }).click())
}

/** Tasks of a seller with a low score. */
export const sellerTasks: readonly Task[] = [
  {
    name: 'ask for a re-check, follow it, and be told to wait before the next one',
    async run(visitor) {
      const { page, leave, device } = visitor
      const profile = profileOf(visitor, ['honest-v1', 'overpriced'][device.index] ?? '')
      const ask = () => leave(() => page.getByRole('button', { name: 'Re-check now' }).click())
      await visitor.open(profile)
      want('the status', await ask(), 200)
      want('the place', new URL(page.url()).pathname, '/rechecks')
      await visitor.see('1 endpoint probed again.')
      await visitor.inspect('recheck-result')
      await visitor.open(profile)
      want('the status of the second', await ask(), 429)
      await visitor.see('When to try again')
      await visitor.inspect('error-429')
    },
  },
  {
    name: 'announce a changed receiver: wrong text, wrong key, then right',
    async run(visitor) {
      const { page, leave } = visitor
      await visitor.open(profileOf(visitor, 'swapped'))
      const text = await page.getByLabel(TEXT).inputValue()
      const wallet = walletAt(findSeller(visitor, 'swapped').spec.receiver.index)
      const signature = await wallet.signMessage({ message: text })
      const wrong = text.replace(/^host: .*$/m, 'host: evil.example')
      want('the status of a wrong text', await check(visitor, wrong, signature), 400)
      await visitor.see('the text names the host evil.example')
      want('what was typed', await page.getByLabel(SIGNATURE).inputValue(), signature)
      await visitor.inspect('rotation-refused')
      const stranger = await walletAt(100).signMessage({ message: text })
      want('the status of a wrong key', await check(visitor, text, stranger), 400)
      await visitor.see('not by the old receiver')
      want('the status of the right text', await check(visitor, text, signature), 200)
      await visitor.see('The signature is right.')
      await visitor.inspect('rotation-verified')
      const published = () =>
        leave(() => page.getByRole('button', { name: 'I published it, check now' }).click())
      want('the status of what is not published', await published(), 400)
      await page.getByRole('alert').waitFor()
      await visitor.inspect('rotation-unpublished')
    },
  },
  {
    name: 'plan a change of receiver',
    async run(visitor) {
      const { page, leave } = visitor
      await visitor.open(profileOf(visitor, 'honest-v2'))
      await leave(() => page.getByRole('link', { name: 'text to sign' }).click())
      await page.getByLabel('New receiver').fill(walletAt(101).address)
      await leave(() => page.getByRole('button', { name: 'Show the text to sign' }).click())
      await visitor.see('x402 receiver rotation')
      await visitor.inspect('rotation-planned')
    },
  },
]
