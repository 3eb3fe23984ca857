/** How to get the guard, of which the sentence before speaks. */
export const Packing = () => (
  <>
    It is not on npm yet: pack it from a clone with <code>npm run pack</code>, and install it.
  </>
)
