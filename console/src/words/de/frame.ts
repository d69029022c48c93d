import type { frame as english } from '../en/frame.ts'
import type { Translated } from '../words.ts'

export const frame: Translated<typeof english> = {}
