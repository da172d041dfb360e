import { NoJavaError } from '../src/index.js'
import { requireJava } from '../src/java/find-java.js'

it('without a JDK or Maven, the message says what to install', async () => {
  const refused = requireJava({ PATH: '/nowhere' })
  await expect(refused).rejects.toBeInstanceOf(NoJavaError)
  await expect(refused).rejects.toThrow(
    /^No java found\. .*\n.*apt-get install openjdk-17-jdk-headless maven/,
  )
})
