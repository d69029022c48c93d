import type { account as english } from '../en/account.ts'
import type { Translated } from '../words.ts'

export const account: Translated<typeof english> = {
  title: 'Wer für Sie gehandelt hat',
  signInAbout:
    'Sehen Sie, wer vom Support-Team in Ihrem Namen gehandelt hat und was getan wurde, und beenden Sie es.',
}
