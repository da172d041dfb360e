package holdfast.interop;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.Map;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RedissonClient;

/** The calls on one count-down latch. */
final class LatchCalls {
  private final RedissonClient client;

  LatchCalls(RedissonClient client) {
    this.client = client;
  }

  Map<String, Object> call(Request request) throws InterruptedException {
    RCountDownLatch latch = client.getCountDownLatch(request.lock());
    return switch (request.op()) {
      case "trySetCount" -> Map.of("done", latch.trySetCount(request.permits()));
      case "countDown" -> {
        double leftAtMs = Clock.nowMs();
        latch.countDown();
        yield Map.of("leftAtMs", leftAtMs);
      }
      case "wait" -> {
        long waitMs = request.waitMs() == null ? Long.MAX_VALUE : request.waitMs();
        boolean passed = latch.await(waitMs, MILLISECONDS);
        yield Map.of("entered", passed, "enteredAtMs", Clock.nowMs());
      }
      case "count" -> Map.of("permits", latch.getCount());
      case "delete" -> Map.of("done", latch.delete());
      default -> throw Peer.unknown(request);
    };
  }
}
