import { describe, expect, test, vi } from 'vitest'
import { yieldPriority } from './yieldPriority.ts'

describe('the priority', () => {
  test.each([
    [0, 10],
    [10, 10],
    [19, 19],
  ])('of %d becomes %d', (before, after) => {
    const setPriority = vi.fn()
    yieldPriority({ getPriority: () => before, setPriority }, 'linux')
    expect(setPriority).toHaveBeenCalledExactlyOnceWith(after)
  })

  test('is left alone where it belongs to the whole process', () => {
    const setPriority = vi.fn()
    yieldPriority({ getPriority: () => 0, setPriority }, 'darwin')
    expect(setPriority).not.toHaveBeenCalled()
  })

  test('error: one that may not be changed ends nothing', () => {
    const refuse = () => {
      throw Object.assign(new Error('not allowed'), { code: 'EACCES' })
    }
    expect(() => yieldPriority({ getPriority: () => 0, setPriority: refuse }, 'linux')).not.toThrow()
  })
})
