/**
 * The script of every page: copy buttons, tables that sort in place, and live progress. Pages work without it. Browsers
 * run the text of this function, so it uses nothing from outside its body.
 */
export function runPage(): void {
  const status = document.createElement('p')
  status.className = 'hidden'
  status.setAttribute('role', 'status')
  document.body.append(status)

  const createButton = (kind: string, onClick: () => void) => {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = kind
    button.addEventListener('click', onClick)
    return button
  }

  const createCopyButton = (kind: string, name: string, text: string) => {
    const button = createButton(kind, async () => {
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
    for (const code of root.querySelectorAll<HTMLElement>('.address, .install code')) {
      const text = code.title || code.textContent
      const target = code.closest('a') ?? code
      const line = document.createElement('span')
      line.className = 'nowrap'
      target.replaceWith(line)
      line.append(target, createCopyButton('copy icon', text, text))
    }
  }

  const sortRows = (head: HTMLTableCellElement) => {
    const body = head.closest('table')?.tBodies[0]
    const isDown = head.getAttribute('aria-sort') === 'ascending'
    const readValue = (row: HTMLTableRowElement) => row.cells[head.cellIndex]?.dataset.value ?? ''
    const rows = [...(body?.rows ?? [])].sort((one, other) => {
      const [a, b] = [readValue(one), readValue(other)]
      // Rows without a value are last in both orders.
      if (a === '' || b === '') return Number(a === '') - Number(b === '')
      const difference = Number(a) - Number(b)
      return (Number.isNaN(difference) ? a.localeCompare(b) : difference) * (isDown ? -1 : 1)
    })
    for (const other of head.parentElement?.children ?? []) other.removeAttribute('aria-sort')
    head.setAttribute('aria-sort', isDown ? 'descending' : 'ascending')
    body?.append(...rows)
  }

  const addSortButtons = (root: Element) => {
    for (const head of root.querySelectorAll<HTMLTableCellElement>('th[data-sort]')) {
      const button = createButton('sort', () => sortRows(head))
      button.append(...head.childNodes)
      head.append(button)
    }
  }

  const enhance = (main: Element | null) => {
    if (main === null) return
    if (navigator.clipboard !== undefined) addCopyButtons(main)
    addSortButtons(main)
  }

  // The page itself says what is new, so that progress is described in one place.
  const update = async () => {
    const response = await fetch(location.href, { headers: { Accept: 'text/html' } })
    const next = new DOMParser().parseFromString(await response.text(), 'text/html')
    const main = next.querySelector('main')
    if (!response.ok || main === null) return
    enhance(main)
    document.querySelector('main')?.replaceWith(main)
    document.title = next.title
    status.textContent = next.title
  }

  const follow = (href: string) => {
    const source = new EventSource(href)
    const reload = () => setTimeout(() => location.reload(), 3000)
    source.addEventListener('progress', () => void update())
    source.addEventListener('over', () => {
      source.close()
      update().catch(reload)
    })
    // A browser connects again by itself unless it was refused.
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) reload()
    })
  }

  const main = document.querySelector<HTMLElement>('main')
  enhance(main)
  const { live } = main?.dataset ?? {}
  if (live !== undefined) follow(live)
}
