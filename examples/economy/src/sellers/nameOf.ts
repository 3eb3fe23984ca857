import type { SellerSpec } from './types.ts'

/** Returns the name of a seller, which is its hostname below `localhost`. */
export function nameOf({ id, name = id }: Pick<SellerSpec, 'id' | 'name'>): string {
  return name
}
