import { createHash } from 'node:crypto'

/**
 * The script of every page: copy buttons. Pages work without it. Browsers run the text of this function, so it uses
 * nothing from outside its body.
 */
function runPage(): void {
  const status = document.createElement('p')
  status.className = 'hidden'
  status.setAttribute('role', 'status')
  document.body.append(status)

  const createCopyButton = (kind: string, name: string, text: string) => {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = kind
    button.addEventListener('click', async () => {
      const isDone = await navigator.clipboard.writeText(text).then(
        () => true,
        () => false,
      )
      status.textContent = isDone ? 'Copied' : 'The browser refused to copy'
      button.classList.add(isDone ? 'done' : 'failed')
      setTimeout(() => button.classList.remove('done', 'failed'), 1500)
    })
    button.setAttribute('aria-label', `Copy ${name}`)
    return button
  }

  const addCopyButtons = (root: Element) => {
    for (const block of root.querySelectorAll('.snippet')) {
      const box = document.createElement('div')
      box.className = 'copies'
      block.replaceWith(box)
      const name = block.getAttribute('aria-label') ?? 'code'
      box.append(block, createCopyButton('copy', name, block.textContent.trim()))
    }
    for (const code of root.querySelectorAll<HTMLElement>('.address')) {
      const text = code.title || code.textContent
      const target = code.closest('a') ?? code
      const line = document.createElement('span')
      line.className = 'nowrap'
      target.replaceWith(line)
      line.append(target, createCopyButton('copy icon', text, text))
    }
  }

  const main = document.querySelector('main')
  if (main !== null && navigator.clipboard !== undefined) addCopyButtons(main)
}

// Without comments and indentation.
const TEXT = String(runPage)
  .replace(/^\s*\/\/.*\n/gm, '')
  .replace(/\n\s*/g, '\n')

// In development tsx names functions by a helper, which browsers lack.
const HELPER = TEXT.includes('__name(') ? 'const __name = (named) => named;' : ''

/** The text of the script. */
export const PAGE_SCRIPT = `{${HELPER}(${TEXT})()}`

const hash = createHash('sha256').update(PAGE_SCRIPT).digest()

/** Hash of the script as policies and `integrity` name it. No other script may run. */
export const PAGE_SCRIPT_HASH = `sha256-${hash.toString('base64')}`

/** URL of the script; its version changes with the content, so the response can be cached for long. */
export const PAGE_SCRIPT_URL = `/assets/page.js?v=${hash.toString('hex').slice(0, 10)}`
