import type { ComponentChildren } from 'preact'
import { Frame } from '../kit/frame.tsx'
import { Button } from '../kit/kit.tsx'
import { words } from '../kit/text.tsx'
import { AccountPage } from './account-page.tsx'
import type { AccountSession } from './session.ts'

export function AccountFrame(props: { session: AccountSession; notice: ComponentChildren }) {
  const { session, notice } = props
  const head = (
    <>
      <span class="space" />
      <Button kind="quiet" onPress={() => session.signOut()}>
        {words.web.signOut}
      </Button>
    </>
  )
  return (
    <Frame product={words.account.product} head={head} notice={notice}>
      <AccountPage session={session} />
    </Frame>
  )
}
