import type { At } from '../../../web/kit/at.ts'
import type { ApprovalAnswer } from '../server/api/answers.ts'
import { neededText } from './in-words.ts'

/** Says what a start needs, and who can give it. @param props.approval as the API of this version has it */
export function Needed({ approval }: { approval: object }, at: At) {
  return <p>{neededText(at, approval as ApprovalAnswer['approval'])}</p>
}
