import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { type ComponentChild, h } from 'preact'
import { Snippet } from './prose.tsx'
import { Table } from './table.tsx'

/** Renders Markdown. HTML in it is shown as text; a row that explains a flag has the id of the flag. */
export const Markdown = ({ source }: { source: string }) => <>{renderAll(lexer(source))}</>

/** Elements that hold nothing but their tokens. */
const PLAIN = { paragraph: 'p', strong: 'strong', list_item: 'li' } as const

const renderAll = (tokens: readonly Token[] = []) => tokens.map(renderToken)

function renderToken(generic: Token): ComponentChild {
  const token = generic as MarkedToken
  switch (token.type) {
    case 'heading':
      return h(`h${token.depth}`, { id: toId(token.text) }, renderAll(token.tokens))
    case 'paragraph':
    case 'strong':
    case 'list_item':
      return h(PLAIN[token.type], null, renderAll(token.tokens))
    case 'list':
      return h(token.ordered ? 'ol' : 'ul', null, renderAll(token.items))
    case 'table':
      return <MarkdownTable {...token} />
    case 'code':
      return <Snippet label={token.lang ?? 'Code'} code={token.text} />
    case 'codespan':
      return <code>{token.text}</code>
    case 'link':
      return <a href={token.href}>{renderAll(token.tokens)}</a>
    case 'text':
      return token.tokens === undefined ? token.text : renderAll(token.tokens)
    case 'space':
      return null
    default:
      return token.raw
  }
}

function MarkdownTable({ header, rows }: Tokens.Table) {
  const last = header.length - 1
  return (
    <Table
      scroll="Table"
      rows={rows}
      rowId={([first]) => {
        const [, code] = /^`(\w+)`$/.exec(first?.text ?? '') ?? []
        return code && `flag-${code}`
      }}
      columns={header.map(({ text }, index) => ({
        name: text,
        ...(index > 0 && index >= last - 1 && { share: 'whole' as const }),
        cell: (row: Tokens.TableCell[]) => renderAll(row[index]?.tokens),
      }))}
    />
  )
}

const toId = (text: string) => text.toLowerCase().replace(/\W+/g, '-').replace(/^-|-$/g, '')
