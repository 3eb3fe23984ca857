import { SCHEMA_NAMES } from '@touchstone402/shared'
import { POST_PATHS, type PostPath } from '../../http/postPaths.ts'
import { Panel } from '../components/panel.tsx'
import { type Column, Table } from '../components/table.tsx'
import { schemaPath } from '../paths.ts'
import { FieldName, SchemaType } from './schemaType.tsx'

const COLUMNS: Column<[string, PostPath]>[] = [
  {
    name: 'Path',
    cell: ([path, { operationId }]) => (
      <span id={operationId}>
        <code>{path}</code>
      </span>
    ),
  },
  {
    name: 'Fields',
    cell: ([, { fields }]) =>
      Object.entries(fields).map(([name, { required }]) => (
        <FieldName name={name} note={required && 'required'} />
      )),
  },
  { name: 'What it does', cell: ([, { summary }]) => summary },
  {
    name: 'Answer',
    cell: ([, { schema }]) => <SchemaType node={{ $ref: schemaPath(SCHEMA_NAMES.get(schema)?.id ?? '') }} />,
  },
]

/** What changes something, and is asked for by POST. */
export function Forms() {
  return (
    <Panel id="forms" title="Forms">
      <p>
        Send a form or a flat JSON object of strings, free of charge. Programs get JSON; a browser is sent on
        to a page. <a href="/">Check an endpoint</a> without paying.
      </p>
      <Table class="rows" scroll="Forms" rows={Object.entries(POST_PATHS)} columns={COLUMNS} />
    </Panel>
  )
}
