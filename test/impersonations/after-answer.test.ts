import { EventEmitter } from 'node:events'
import { expect } from 'chai'
import type { Context } from 'koa'
import { afterAnswer, answersFollowed } from '../../src/impersonations/after-answer.ts'
import { deploy } from '../support/deployment.ts'

describe('a task after an answer', () => {
  it('that throws is reported to the provider, and ends no process', async () => {
    await using deployment = await deploy()
    const { provider, serverErrors } = deployment
    const mistake = new Error('a mistake')
    const response = new EventEmitter()
    afterAnswer(provider, { res: response } as Context, () => {
      throw mistake
    })
    response.emit('finish')
    await answersFollowed(provider)
    expect(serverErrors).to.deep.equal([mistake])
  })
})
