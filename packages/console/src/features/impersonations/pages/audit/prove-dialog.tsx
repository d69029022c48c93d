import { useState } from 'preact/hooks'
import { Button } from '../../../../web/kit/button.tsx'
import { Dialog } from '../../../../web/kit/dialog.tsx'
import type { Action } from '../../../../web/kit/message.tsx'
import { words } from '../../../../web/kit/text.tsx'
import { OIDC_PROVIDER } from '../../../../web/session/provider.ts'
import type { Session } from '../../../../web/session/session.ts'
import { Exporting, useExport } from '../../../../web/session/use-export.tsx'

const { prove: labels } = words.impersonations.audit

interface Result {
  readonly tone: 'done' | 'refused' | 'trouble'
  readonly text: string
  readonly action?: Action | undefined
}

/** Saves the export that proves an impersonation, and says the command that verifies it. */
export function ProveDialog(props: {
  session: Session
  id: string
  /** What it is about: *Olivia as Alice*. */
  subject: string
  onClose: () => void
}) {
  const { session, id, subject, onClose } = props
  // A message above the page cannot be read while a dialog is open.
  const [result, setResult] = useState<Result>()
  const { going, save, cancel } = useExport(session, (tone, text, action) =>
    setResult({ tone, text, action }),
  )
  const file = `impersonation-${id}.jsonl`
  // An id may begin with a hyphen: after a space, it would be taken for an option.
  const command = `npx oidc-provider-impersonation-verify ${file} --jwks ${OIDC_PROVIDER.jwks_uri} --impersonation=${id}`
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(command)
      setResult({ tone: 'done', text: labels.copied })
    } catch {
      setResult({ tone: 'refused', text: labels.notCopied })
    }
  }
  const download = () => {
    setResult(undefined)
    return save({
      path: `/audit/${encodeURIComponent(id)}/entries.jsonl`,
      name: file,
      type: 'application/jsonl',
      hasLastLine: true,
    })
  }
  return (
    <Dialog
      title={labels.title}
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" onPress={download}>
            {labels.save}
          </Button>
          <Button onPress={copy}>{labels.copy}</Button>
        </>
      }
    >
      <p>
        <bdi>{subject}</bdi>
      </p>
      <p>{labels.about}</p>
      <p>{labels.command}</p>
      <pre class="command">
        <code>{command}</code>
      </pre>
      <Exporting going={going} cancel={cancel} />
      <div role="status">
        {result && (
          <div class={`message ${result.tone}`}>
            <p>{result.text}</p>
            {result.action && <Button onPress={result.action.run}>{result.action.label}</Button>}
          </div>
        )}
      </div>
    </Dialog>
  )
}
