package holdfast.interop;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;

/** The calls on one semaphore whose permits have ids. A task remembers those that it acquired last. */
final class PermitCalls {
  private final RedissonClient client;
  private final Map<String, List<String>> idsByTask = new ConcurrentHashMap<>();

  PermitCalls(RedissonClient client) {
    this.client = client;
  }

  Map<String, Object> call(Request request) throws InterruptedException {
    RPermitExpirableSemaphore semaphore = client.getPermitExpirableSemaphore(request.lock());
    return switch (request.op()) {
      case "acquire" -> entered(request, acquire(request));
      case "tryAcquire" -> {
        long waitMs = request.waitMs() == null ? 0 : request.waitMs();
        long leaseMs = request.leaseMs() == null ? -1 : request.leaseMs();
        yield entered(
            request, semaphore.tryAcquire((int) request.permits(), waitMs, leaseMs, MILLISECONDS));
      }
      case "release" -> {
        double leftAtMs = Clock.nowMs();
        semaphore.release(idsByTask.remove(request.task()));
        yield Map.of("leftAtMs", leftAtMs);
      }
      case "trySetPermits" -> Map.of("done", semaphore.trySetPermits(request.permits()));
      case "setPermits" -> {
        semaphore.setPermits(request.permits());
        yield Map.of();
      }
      case "available" ->
          Map.of("permits", semaphore.availablePermits(), "acquired", semaphore.acquiredPermits());
      case "cycles" -> new PermitCycles(client, request, this::enter).run();
      default -> throw Peer.unknown(request);
    };
  }

  private List<String> acquire(Request request) throws InterruptedException {
    RPermitExpirableSemaphore semaphore = client.getPermitExpirableSemaphore(request.lock());
    return request.leaseMs() == null
        ? semaphore.acquire((int) request.permits())
        : semaphore.acquire(request.permits(), request.leaseMs(), MILLISECONDS);
  }

  private Runnable enter(Request request) throws InterruptedException {
    List<String> ids = acquire(request);
    return () -> client.getPermitExpirableSemaphore(request.lock()).release(ids);
  }

  private Map<String, Object> entered(Request request, List<String> ids) {
    if (ids == null || ids.isEmpty()) return Map.of("entered", false);
    idsByTask.put(request.task(), ids);
    return Map.of("entered", true, "enteredAtMs", Clock.nowMs(), "ids", ids);
  }
}
