/** Test support for packages that read transfers. */

export { columnsOf, type Row } from './columnsOf.ts'
