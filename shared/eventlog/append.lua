#!lua name=meydan

-- Appends the events of one command to a match's log, if the log stands at the expected version.
-- A function does not roll back, so everything is checked before the first write.
--
-- keys: log (stream), match (hash), outbox (stream), due matches (sorted set), open matches by organiser (hash),
--       index of waiting, playing and finished matches (sorted sets)
-- args: match id, expected version, command id, digest, status (1 waiting, 2 playing, 3 finished), due time (0 never),
--       organiser, number of records, the records, then kind and payload of each piece of work that is to wait, or one
--       sign (KEPT) for that which waits already
-- answers: {0, first, version} written; {1, first, version} repeated; {2, version} conflict; {3} command id reused
local FIRST_INDEX, FIRST_RECORD = 5, 9
local FINISHED, NEVER, KEPT = '3', '0', '='
local GROUP = 'dispatch'

local function found(record, digest)
  local first, version, known = string.match(record, '^(%d+) (%d+) (.*)$')
  if known ~= digest then return {3} end
  return {1, tonumber(first), tonumber(version)}
end

local function replace_work(outbox, old, args, first_work)
  if old then
    for id in string.gmatch(old, '%S+') do
      redis.call('XACK', outbox, GROUP, id)
      redis.call('XDEL', outbox, id)
    end
  end
  local ids = {}
  for at = first_work, #args, 2 do
    ids[#ids + 1] = redis.call('XADD', outbox, '*', 'match', args[1], 'kind', args[at], 'payload', args[at + 1])
  end
  return table.concat(ids, ' ')
end

local function is_complete(args, count, is_due_moved)
  if not count or count < 1 or #args < FIRST_RECORD - 1 + count then return false end
  return not is_due_moved or string.match(args[6], '^%d+$')
end

-- Answers the first and the last version as text: to make text of a number costs more than the rest of the arithmetic.
local function write(log, args, expected, count)
  local first, last
  for i = 1, count do
    last = tostring(expected + i)
    first = first or last
    redis.call('XADD', log, last .. '-0', 'e', args[FIRST_RECORD - 1 + i])
  end
  return first, last
end

local function replace_due(index, id, old, due)
  if due ~= NEVER then
    redis.call('ZADD', index, due, id)
  elseif old then
    redis.call('ZREM', index, id)
  end
end

local function count_created(open, match, organiser)
  if organiser == '' then return end
  redis.call('HINCRBY', open, organiser, 1)
  redis.call('HSET', match, 'organiser', organiser)
end

local function count_finished(open, match)
  local organiser = redis.call('HGET', match, 'organiser')
  if organiser and redis.call('HINCRBY', open, organiser, -1) <= 0 then redis.call('HDEL', open, organiser) end
end

local function replace_status(keys, args, old)
  local match, open, id, new = keys[2], keys[5], args[1], args[5]
  if old then redis.call('ZREM', keys[FIRST_INDEX + old], id) end
  redis.call('ZADD', keys[FIRST_INDEX + new], 0, id)
  redis.call('HSET', match, 'status', new)
  if new == FINISHED then
    count_finished(open, match)
  elseif not old then
    count_created(open, match, args[7])
  end
end

local function append(keys, args)
  local log, match, outbox = keys[1], keys[2], keys[3]
  local known = redis.call('HMGET', match, 'version', 'status', 'work', 'due', 'c:' .. args[3])
  if known[5] then return found(known[5], args[4]) end
  local version, expected = tonumber(known[1] or 0), tonumber(args[2])
  if version ~= expected then return {2, version} end
  local count, due = tonumber(args[8]), args[6]
  local is_due_moved = known[4] ~= due
  if not is_complete(args, count, is_due_moved) then return redis.error_reply('ERR meydan: incomplete append') end

  local first, last = write(log, args, expected, count)
  local old_work = known[3]
  local first_work = FIRST_RECORD + count
  local is_kept = #args == first_work and args[first_work] == KEPT
  if not is_kept and ((old_work and old_work ~= '') or first_work <= #args) then
    redis.call('HSET', match, 'work', replace_work(outbox, old_work, args, first_work))
  end
  local command, versions = 'c:' .. args[3], first .. ' ' .. last .. ' ' .. args[4]
  if is_due_moved then
    redis.call('HSET', match, 'version', last, 'due', due, command, versions)
    replace_due(keys[4], args[1], known[4], due)
  else
    redis.call('HSET', match, 'version', last, command, versions)
  end
  if known[2] ~= args[5] then replace_status(keys, args, known[2]) end
  redis.call('PUBLISH', log, last)
  return {0, expected + 1, expected + count}
end

-- Notes that the platform is alive, and that it was away if the newest beat before was too long ago.
-- Times are kept as they came: Lua would write large numbers with an exponent.
--
-- keys: newest beat (string), downtimes (list of "from until", the oldest first)
-- args: now, the longest gap between beats that is no downtime, how many downtimes are remembered
-- answers: the downtimes
local function beat(keys, args)
  local alive, downtimes = keys[1], keys[2]
  local last, now = redis.call('GET', alive), args[1]
  if not last or tonumber(now) > tonumber(last) then redis.call('SET', alive, now) end
  if last and tonumber(now) - tonumber(last) > tonumber(args[2]) then
    redis.call('RPUSH', downtimes, last .. ' ' .. now)
    redis.call('LTRIM', downtimes, '-' .. args[3], -1)
  end
  return redis.call('LRANGE', downtimes, 0, -1)
end

redis.register_function('meydan_append', append)
redis.register_function('meydan_beat', beat)
