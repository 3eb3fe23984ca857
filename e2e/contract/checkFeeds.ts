import { SaxesParser } from 'saxes'

type Element = {
  readonly name: string
  readonly children: Element[]
  readonly attributes: Record<string, string>
  text: string
}

/** Returns the violations of the RSS 2.0 specification in a feed. */
export function checkRss(body: string): string[] {
  const root = readXml(body)
  if (typeof root === 'string') return [root]
  const channel = root.children.find(({ name }) => name === 'channel')
  if (root.name !== 'rss' || root.attributes.version !== '2.0' || channel === undefined)
    return ['it is no RSS 2.0']
  const items = channel.children.filter(({ name }) => name === 'item')
  const guids = items.map((item) => textOf(item, 'guid'))
  return [
    ...['title', 'link', 'description']
      .filter((name) => textOf(channel, name) === '')
      .map((name) => `no ${name}`),
    ...[channel, ...items].flatMap((element) => checkLink(textOf(element, 'link'))),
    ...channel.children
      .filter(({ name }) => name === 'atom:link')
      .flatMap(({ attributes }) => checkLink(attributes.href)),
    ...items.flatMap((item) => [
      ...(textOf(item, 'title') === '' && textOf(item, 'description') === ''
        ? ['an item that says nothing']
        : []),
      ...(Number.isNaN(Date.parse(textOf(item, 'pubDate'))) ? ['an item without a date'] : []),
    ]),
    ...checkUnique(guids),
  ]
}

function readXml(text: string): Element | string {
  const parser = new SaxesParser({ xmlns: false })
  const root: Element = { name: '', children: [], attributes: {}, text: '' }
  const open: Element[] = [root]
  let fault: string | undefined
  parser.on('error', ({ message }) => {
    fault ??= message
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, children: [], attributes, text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('text', (part) => {
    const element = open.at(-1)
    if (element !== undefined) element.text += part
  })
  parser.on('closetag', () => {
    open.pop()
  })
  parser.write(text).close()
  return fault ?? root.children[0] ?? 'it is empty'
}

const textOf = ({ children }: Element, wanted: string) =>
  children.find(({ name }) => name === wanted)?.text.trim() ?? ''

const checkLink = (url: unknown): string[] =>
  typeof url === 'string' && /^https?:\/\//.test(url) && URL.canParse(url)
    ? []
    : [`${url} is no absolute link`]

function checkUnique(ids: readonly string[]): string[] {
  return ids.length === new Set(ids).size && !ids.includes('') ? [] : ['items that share an id, or have none']
}
