import { describe, expect, test, vi } from 'vitest'
import { yieldPriority } from './yieldPriority.ts'

describe('yieldPriority', () => {
  test.each([
    [0, 10],
    [10, 10],
    [19, 19],
  ])('behavior: changes priority %d to %d', (before, after) => {
    const setPriority = vi.fn()
    yieldPriority({ getPriority: () => before, setPriority }, 'linux')
    expect(setPriority).toHaveBeenCalledExactlyOnceWith(after)
  })

  test('behavior: does nothing on systems without thread priorities', () => {
    const setPriority = vi.fn()
    yieldPriority({ getPriority: () => 0, setPriority }, 'darwin')
    expect(setPriority).not.toHaveBeenCalled()
  })

  test('error: ignores a system that forbids the change', () => {
    const refuse = () => {
      throw Object.assign(new Error('not allowed'), { code: 'EACCES' })
    }
    expect(() => yieldPriority({ getPriority: () => 0, setPriority: refuse }, 'linux')).not.toThrow()
  })
})
