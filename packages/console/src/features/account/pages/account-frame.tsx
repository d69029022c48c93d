import type { ComponentChildren } from 'preact'
import { Button } from '../../../web/kit/button.tsx'
import { Frame } from '../../../web/kit/frame.tsx'
import { words } from '../../../web/kit/text.tsx'
import type { CustomerSession } from '../../../web/session/customer-session.ts'
import { AccountPage, type PermitSection } from './account-page.tsx'

export function AccountFrame<T>(props: {
  session: CustomerSession
  notice: ComponentChildren
  permitPart: PermitSection<T>
}) {
  const { session, notice, permitPart } = props
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
      <AccountPage session={session} permitPart={permitPart} />
    </Frame>
  )
}
