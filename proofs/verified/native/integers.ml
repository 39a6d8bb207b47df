(* Integers that fit into a machine word are kept as such by zarith, and most are of this kind. They are computed with
   here, without a call of zarith; this is trusted like zarith itself. *)

let[@inline] is_small (x : Z.t) = Obj.is_int (Obj.repr x)
let[@inline] int (x : Z.t) : int = Obj.magic x
let[@inline] of_int (n : int) : Z.t = Obj.magic n

(* Words, as zarith keeps them: a block has two more. *)
let[@inline] length (x : Z.t) = if is_small x then 1 else Obj.size (Obj.repr x) - 2

(* The following are for small integers. *)

let[@inline] add x y =
  let sum = int x + int y in
  if (int x lxor sum) land (int y lxor sum) >= 0 then of_int sum else Z.add x y

let[@inline] sub x y =
  let difference = int x - int y in
  if (int x lxor int y) land (int x lxor difference) >= 0 then of_int difference else Z.sub x y

let[@inline] logand x y = of_int (int x land int y)
let[@inline] compare x y = Int.compare (int x) (int y)
let[@inline] is_even x = int x land 1 = 0
let[@inline] half x = of_int (int x asr 1)

(* The product of two numbers of 31 bits fits into a machine word. *)
let[@inline] is_short x = is_small x && int x < 0x40000000 && int x > -0x40000000
let[@inline] mul_short x y = of_int (int x * int y)
