import type { account as english } from '../en/account.ts'
import type { Translated } from '../words.ts'

export const account: Translated<typeof english> = {}
