import type { ComponentChild } from 'preact'
import type * as v from 'valibot'
import { exactly, type Read, readBy } from '../../kernel/input.ts'
import type { Role } from '../../kernel/roles.ts'
import { invalid } from '../http/problem.ts'
import { readQuery } from '../http/query.ts'
import type { At, StaffAt } from '../kit/at.ts'
import type { Words } from '../words/words.ts'

/** A page in the words of its reader: a pure function of the model. */
export type View<M, A extends At = StaffAt> = (model: M, at: A) => PageView

export interface PageView {
  /** The heading, and the title of the tab. */
  readonly title: string
  /** A sentence below the heading. */
  readonly about?: string
  /** The link back: an address below the base, and its words. */
  readonly back?: { readonly to: string; readonly label: string }
  /** The ids of what it shows: if one of them changes, the page is fetched again. */
  readonly ids?: readonly string[]
  /** A page with a form, which is read from top to bottom. */
  readonly isNarrow?: true
  readonly body: ComponentChild
}

/** The answer of a route: its model for a bearer token, and the rest for a browser. */
export interface Answered<A extends At> {
  /** Absent if there is nothing to say, or the handler answered by itself. */
  readonly model?: object | undefined
  readonly page?: (at: A) => PageView
  readonly after?: After
}

/** The page that a browser gets after an action. */
export interface After {
  /** The page, below the base. @defaultValue the page with the form */
  readonly to?: string | undefined
  /** The message about the action: a key of `web.said`, with its number. */
  readonly said?: DoneMessage | undefined
  /** An application, in place of a page of ours. */
  readonly opens?: Opening | undefined
}

/** The way into an application. */
export interface Opening {
  /** The page of the application. A fragment stays in the browser. */
  readonly url: string
  /** The name of the application. */
  readonly name: string
  /** A field that is posted there. Without it, the browser is led there. */
  readonly field?: { readonly name: string; readonly value: string }
}

export interface DoneMessage {
  readonly key: keyof Words['web']['said']
  readonly count?: number
}

/** A request with a body: JSON, or the fields of a form. */
export interface AnyCall {
  input(): Promise<unknown>
}

export interface RouteMarks {
  /** A request of a person who may not use it is recorded, as a request to act. */
  readonly isActing?: true
  /** It makes an entry of the audit that can wait. An end cannot. */
  readonly writes?: true
}

/** A line of the table: a path below that of the console, and what answers there. */
export interface Route<C extends AnyCall, A extends At = StaffAt> extends RouteMarks {
  readonly method: 'GET' | 'POST'
  /** There is a HEAD, and a form that was refused comes back there. */
  readonly isPage?: true
  readonly path: string
  /** The roles that may use it. Empty for customers. */
  readonly roles: readonly Role[]
  /** @param search the query of the page, also if a form on it was refused */
  readonly answer: (call: C, search: string) => Promise<Answered<A>>
}

/** The page that a browser gets after an action, if it is not the one with the form. */
interface Afterwards<R, C> {
  /** The message about the action. */
  readonly says?: DoneMessage['key']
  readonly after?: (answer: R, call: C) => After
}

/** Makes the lines of a table. @typeParam C what the models receive */
export function linesFor<C extends AnyCall, A extends At = StaffAt>() {
  return {
    /** A page: its model as JSON for a bearer token, and as HTML for a browser. */
    page<const E extends v.ObjectEntries, M extends object>(
      path: string,
      roles: readonly Role[],
      query: E,
      model: (call: C & { readonly query: Read<E> }) => M | Promise<M>,
      view: View<NoInfer<M>, A>,
    ): Route<C, A> {
      return {
        method: 'GET',
        isPage: true,
        path,
        roles,
        async answer(call, search) {
          const answer = await model({ ...call, query: readQuery(search, query) })
          return { model: answer, page: (at) => view(answer, at) }
        },
      }
    },

    /**
     * Something that a person does: a POST.
     *
     * @param body the members, or what makes them from the options of the deployment
     */
    action<const E extends v.ObjectEntries, R>(
      path: string,
      roles: readonly Role[],
      body: E | ((call: C) => E),
      model: (call: C & { readonly body: Read<E> }) => R | Promise<R>,
      { says, after, ...marks }: RouteMarks & Afterwards<NoInfer<R>, C> = {},
    ): Route<C, A> {
      return {
        method: 'POST',
        path,
        roles,
        ...marks,
        async answer(call) {
          const entries = typeof body === 'function' ? body(call) : body
          const given = readBy(exactly(entries), await call.input(), invalid)
          const answer = await model({ ...call, body: given })
          const said = says && { said: { key: says } }
          return {
            model: Object(answer) === answer ? Object(answer) : undefined,
            after: { ...said, ...after?.(answer, call) },
          }
        },
      }
    },

    /** A file, or the stream: the handler answers by itself. */
    file(
      path: string,
      roles: readonly Role[],
      answer: (call: C) => Promise<void>,
      marks: RouteMarks = {},
    ): Route<C, A> {
      return {
        method: 'GET',
        path,
        roles,
        ...marks,
        async answer(call) {
          await answer(call)
          return {}
        },
      }
    },
  }
}
