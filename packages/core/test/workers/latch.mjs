// A party of a latch in a process of its own. Arguments: the URL of Redis, the name of the latch, the party's name if it has one.
import { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit/process'

const [redis, name, as] = process.argv.slice(2)
const holdfast = new Holdfast({ redis })
const latch = holdfast.getCountDownLatch(name)

async function serve(type, act) {
  for (;;) {
    await fromParent(type)
    void act().then(
      (answer) => tellParent({ type, answer }),
      (error) => tellParent({ type, answer: error.code ?? String(error) }),
    )
  }
}

void serve('count', () => latch.count())
void serve('count down', () => latch.countDown(as === undefined ? {} : { as }))
void serve('wait', () => latch.wait().then(() => 'passed'))
await tellParent({ type: 'ready' })
