package holdfast.interop;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.Map;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

/** The calls on one semaphore. Its permits have no owner: any task may release them. */
final class SemaphoreCalls {
  private final RedissonClient client;

  SemaphoreCalls(RedissonClient client) {
    this.client = client;
  }

  /** The form of tryAcquire that both versions have is deprecated in the newer one. */
  @SuppressWarnings("deprecation")
  Map<String, Object> call(Request request) throws InterruptedException {
    RSemaphore semaphore = client.getSemaphore(request.lock());
    return switch (request.op()) {
      case "acquire" -> {
        semaphore.acquire(request.permits());
        yield Map.of("entered", true, "enteredAtMs", Clock.nowMs());
      }
      case "tryAcquire" -> {
        boolean entered =
            request.waitMs() == null
                ? semaphore.tryAcquire(request.permits())
                : semaphore.tryAcquire(request.permits(), request.waitMs(), MILLISECONDS);
        yield Map.of("entered", entered, "enteredAtMs", Clock.nowMs());
      }
      case "release" -> {
        double leftAtMs = Clock.nowMs();
        semaphore.release(request.permits());
        yield Map.of("leftAtMs", leftAtMs);
      }
      case "trySetPermits" -> Map.of("done", semaphore.trySetPermits(request.permits()));
      case "addPermits" -> {
        semaphore.addPermits(request.permits());
        yield Map.of();
      }
      case "drainPermits" -> Map.of("permits", semaphore.drainPermits());
      case "available" -> Map.of("permits", semaphore.availablePermits());
      case "cycles" -> new PermitCycles(client, request, this::enter).run();
      default -> throw Peer.unknown(request);
    };
  }

  private Runnable enter(Request request) throws InterruptedException {
    RSemaphore semaphore = client.getSemaphore(request.lock());
    semaphore.acquire(request.permits());
    return () -> semaphore.release(request.permits());
  }
}
